import { checkedConfiguration } from "../core/config/resolve";
import { SERVICES } from "../core/services";
import { systemClock } from "../http/clock";
import { Connections } from "./connections";

const iamBeside = (values: object, environment: Record<string, string> = {}) => {
  const configuration = checkedConfiguration({ ...values }, environment);
  const connections = new Connections(configuration, { clock: systemClock });
  return connections.beside(SERVICES.healthcare, SERVICES.iam)?.client.baseUrl;
};

test.each([
  ["Google's cloud", {}, "https://iam.googleapis.com/v1/"],
  ["an emulator", { emulatorHost: "127.0.0.1:8790" }, "http://127.0.0.1:8790/v1/"],
  [
    "a private cloud that names its IAM API",
    { healthcareCustomEndpoint: "https://h.example/v1/", iamCustomEndpoint: "https://i.example/v1/" },
    "https://i.example/v1/",
  ],
  ["a private cloud without one", { healthcareCustomEndpoint: "https://h.example/v1/" }, undefined],
])("the IAM API of %s", (_cloud, values, expected) => {
  expect(iamBeside(values)).toBe(expected);
});
