/** Environment variables by name, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;
