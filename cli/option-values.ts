import { InvalidArgumentError } from "commander";

/** A parser for an option that may be given more than once. */
export function collect(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value];
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
