import { addressProblem, type AddressFormName } from "./address";

/** Invalid addresses, and the end of the message: the valid form, and the violated rule. */
const BAD: Record<AddressFormName, [text: string, ending: string][]> = {
  "host:port": [
    ["::1:23003", "such as [::1]:23003, with an IPv6 address in brackets"],
    ["fe80::1:2:3:4:5:8790", "such as [fe80::1:2:3:4:5]:8790, with an IPv6 address in brackets"],
    ["::1", "with an IPv6 address in brackets"],
    ["a:b:8790", "with an IPv6 address in brackets"],
    ["[::1]", "with a port"],
    ["127.0.0.1", "with a port"],
    ["127.0.0.1:", "with a port from 1 to 65535"],
    ["127.0.0.1:0", "with a port from 1 to 65535"],
    ["127.0.0.1:65536", "with a port from 1 to 65535"],
    ["127.0.0.1:http", "with a port from 1 to 65535"],
    ["127.0.0.1:-1", "with a port from 1 to 65535"],
    [":8790", "with a host name"],
    ["", "with a host name"],
    ["http://127.0.0.1:8790", "without http:// in front"],
    ["https://[::1]:8790/", "without https:// in front"],
    ["127.0.0.1:8790/", "without a path"],
    ["127.0.0.1:8790?x=1", "without a path"],
    ["user:word@127.0.0.1:8790", "without user and password"],
    ["127.0.0.1 :8790", "without spaces and backslashes"],
    ["127.0.0.1:8790\n", "without spaces and backslashes"],
    ["[::1:8790", "with an IPv6 address in brackets"],
    ["[::g]:8790", "with a host that is a name or an IP address"],
    ["999.1.1.1:8790", "with a host that is a name or an IP address"],
    ["a%:8790", "with a host that is a name or an IP address"],
  ],
  "base URL": [
    ["127.0.0.1:8790", "starting with http:// or https://"],
    ["ftp://host/v1/", "starting with http:// or https://"],
    ["https:/host/v1/", "starting with http:// or https://"],
    ["", "starting with http:// or https://"],
    ["http://::1:8790/v1/", "such as http://[::1]:8790/v1/, with an IPv6 address in brackets"],
    ["https://::1/v1/", "such as https://[::1]/v1/, with an IPv6 address in brackets"],
    ["https:///v1/", "with a host name"],
    ["https://host:99999/v1/", "with a port from 1 to 65535"],
    ["https://host:port/v1/", "with a port from 1 to 65535"],
    ["https://user:word@host/v1/", "without user and password"],
    ["https:/user:word@host/v1/", "without user and password"],
    ["https://host/v1/?key=x", "without a query and a fragment"],
    ["https://host#v1", "without a query and a fragment"],
    ["https://ho st/v1/", "without spaces and backslashes"],
    ["https:\\\\host\\v1", "without spaces and backslashes"],
    ["https://[::g]/v1/", "with a host that is a name or an IP address"],
  ],
  "proxy URL": [
    ["proxy.example:3128", "starting with http:// or https://"],
    ["ftp://proxy.example", "starting with http:// or https://"],
    ["http://", "with a host name"],
    ["http://::1:3128", "such as http://[::1]:3128, with an IPv6 address in brackets"],
    ["http://proxy:0", "with a port from 1 to 65535"],
    ["http://me:100%@proxy:3128", "with %25 for a percent sign in user and password"],
  ],
  domain: [
    ["https://u.example", "without https:// in front"],
    ["u.example:443", "without a port"],
    ["u.example/v1", "without a path"],
    ["me@u.example", "without user and password"],
    ["", "with a host name"],
    ["u example", "without spaces and backslashes"],
  ],
  host: [
    ["localhost:8790", "without a port"],
    ["[::1]:8790", "without a port"],
    ["http://127.0.0.1", "without http:// in front"],
    ["127.0.0.1/", "without a path"],
    ["", "with a host name"],
    ["a b", "without spaces and backslashes"],
    ["[::g]", "with a host that is a name or an IP address"],
  ],
  "host with or without port": [
    ["http://emulator", "without http:// in front"],
    ["emulator:0", "with a port from 1 to 65535"],
    ["", "with a host name"],
  ],
};

const BEGINNINGS: Record<AddressFormName, string> = {
  "host:port": "must be host:port, such as ",
  "base URL": "must be an http or https URL, such as ",
  "proxy URL": "must be the URL of a proxy, such as ",
  domain: "must be a domain, such as ",
  host: "must be a host name or an IP address, such as ",
  "host with or without port": "must be a host name or an IP address, such as ",
};

const cases = Object.entries(BAD).flatMap(([form, list]) =>
  list.map(([text, ending]): [AddressFormName, string, string] => [form as AddressFormName, text, ending]),
);

test.each(cases)("a %s cannot be %j: the message states the form and the violated rule", (form, text, ending) => {
  const problem = addressProblem(text, form) ?? "accepted";
  expect(problem.slice(0, BEGINNINGS[form].length)).toBe(BEGINNINGS[form]);
  expect(problem.slice(-ending.length)).toBe(ending);
});

test.each<[AddressFormName, string]>([
  ["host:port", "127.0.0.1:8790"],
  ["host:port", "localhost:1"],
  ["host:port", "emulator.example:65535"],
  ["host:port", "[::1]:23003"],
  ["host:port", "[2001:DB8::1]:23003"],
  ["base URL", "https://host/v1/"],
  ["base URL", "HTTPS://host"],
  ["base URL", "http://127.0.0.1:8790/v1beta1"],
  ["base URL", "https://[::1]:8443/proxy/@v1/"],
  ["proxy URL", "http://me:w%25rd@proxy.example:3128"],
  ["proxy URL", "https://[::1]:3128/"],
  ["proxy URL", "socks5://proxy.example:1080"],
  ["domain", "googleapis.com"],
  ["domain", "u.example"],
  ["host", "0.0.0.0"],
  ["host", "::1"],
  ["host", "[::1]"],
  ["host", "localhost"],
  ["host with or without port", "emulator"],
  ["host with or without port", "emulator:8790"],
  ["host with or without port", "[::1]:8790"],
])("a %s can be %s", (form, text) => expect(addressProblem(text, form)).toBeUndefined());
