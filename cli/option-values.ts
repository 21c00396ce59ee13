import { InvalidArgumentError, Option } from "commander";

/** A parser for an option that may be given more than once. */
export function collect(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value];
}

/** An option that may be given more than once, and has no values where it is not. */
export function repeatable(flags: string, description: string): Option {
  return new Option(flags, `${description}; can be repeated`).argParser(collect).default([], "none");
}

/** A parser of option values. @throws InvalidArgumentError, which commander reports with the option's name. */
export function wholeNumber(max: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (!/^\d+$/.test(text) || number > max) {
      throw new InvalidArgumentError(`It must be a whole number from 0 to ${max}.`);
    }
    return number;
  };
}
