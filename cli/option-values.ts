import { InvalidArgumentError, Option } from "commander";
import { period, PERIOD_FORM } from "../access/condition/period";
import { addressProblem, type AddressFormName } from "../provider/core/config/address";

/** A parser for an option that can be repeated. */
export function collect(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value];
}

/**
 * An option that can be repeated. Default: an empty list.
 *
 * @param parse checks a value. Default: every text is accepted.
 */
export function repeatable(flags: string, description: string, parse = (value: string) => value): Option {
  return new Option(flags, `${description}; can be repeated`)
    .argParser<string[]>((value, earlier) => collect(parse(value), earlier))
    .default([], "none");
}

/** An option with a value that can be given once: of several, commander would take the last. */
export function once(flags: string, description: string): Option {
  return new Option(flags, description).argParser<string>((value, earlier) => {
    if (earlier !== undefined)
      throw new InvalidArgumentError(`It can be given only once, got ${earlier} and ${value}.`);
    return value;
  });
}

/** The option that `noColor` adds, with commander's name. */
export interface ColorOption {
  color: boolean;
}

export function noColor(): Option {
  return new Option("--no-color", "print without colors, as with NO_COLOR and when the output is not a terminal");
}

/** A parser of addresses. @throws InvalidArgumentError, which commander reports with the option's name. */
export function address(form: AddressFormName): (text: string) => string {
  return (text) => {
    const problem = addressProblem(text, form);
    if (problem !== undefined) throw new InvalidArgumentError(`It ${problem}.`);
    return text;
  };
}

/** A period such as `30d`. @throws InvalidArgumentError */
export function checkedPeriod(text: string): string {
  if (period(text) === undefined) throw new InvalidArgumentError(`It ${PERIOD_FORM}.`);
  return text;
}

/** A host to listen on, an IPv6 address with or without brackets. @throws InvalidArgumentError */
export function listeningHost(text: string): string {
  return address("host")(text).replace(/^\[(.*)\]$/, "$1");
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
