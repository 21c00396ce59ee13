/** Nouns for people, made of the names that APIs and providers give to types of resources. */

/** Words that are written in another way, and those that stand for a longer one. */
const SPELLINGS: ReadonlyMap<string, string> = new Map([
  ...(
    "ACL AI API AWS BI CA CDN CMEK CX DB DICOM DNS EKM FHIR GDC GKE HA HCX HL7 HMAC HTTP HTTPS IAM IAP ID KMS LB MCP NAT ODB OS QA RAG " +
    "RBAC SAML SCC SCIM SIP SLO SOAR SQL SSH SSL SSO TCP TLS TPU ULL URL VM VPC VPN IdP OAuth VMware SaaS " +
    "Apigee Azure BigQuery Bigtable Bitbucket Dataproc Exadata Firebase Gemini GoldenGate Google Hive Iceberg Vertex"
  )
    .split(" ")
    .map((written): [string, string] => [written.toLowerCase(), written]),
  ["auth", "authentication"],
  ["authz", "authorization"],
  ["buse", "bus"],
  ["cert", "certificate"],
  ["creds", "credentials"],
  ["desc", "description"],
  ["dest", "destination"],
  // Types of `@pulumi/gcp` have these two.
  ["manged", "managed"],
  ["occurence", "occurrence"],
  ["datascan", "data scan"],
  ["featurestore", "feature store"],
  ["featureview", "feature view"],
  ["gcp", "Google Cloud"],
  ["grpc", "gRPC"],
  ["orgs", "organizations"],
  ["repo", "repository"],
  ["vpcsc", "VPC-SC"],
  ["workerpool", "worker pool"],
]);

/** Groups of words, in the order in which they are replaced. */
const PHRASES: ReadonlyArray<readonly [RegExp, string]> = [
  [/^apikeys key$/, "api key"],
  [/\bapp eng(?:ine|ing)\b/, "App Engine"],
  [/\bcloud run\b/, "Cloud Run"],
  [/^(folder|organization|project)s (?=\w)/, "$1 "],
  [/ from (?=(?:machine image|template)$)/, " from a "],
  // The resources of Identity-Aware Proxy: https://cloud.google.com/iap/docs/managing-access
  [/^web$/, "web resources"],
  [/^location web$/, "web resources of a location"],
  [/^web type compute$/, "web resources of Compute Engine"],
  [/^web type App Engine$/, "web resources of App Engine"],
];

/** `fhir store` for `FhirStore`, `ssh public key` for `SSHPublicKey`. */
export function wordsIn(name: string): string {
  const whole = name.replace(
    /vmware|saas|oauth/gi,
    (each) => each.charAt(0).toUpperCase() + each.slice(1).toLowerCase(),
  );
  return whole.replace(/[A-Z]+(?=[A-Z][a-z])|[a-z0-9](?=[A-Z])/g, "$& ").toLowerCase();
}

/** `FHIR store` for `fhir store`. */
export function spelled(words: string): string {
  return PHRASES.reduce((text, [phrase, written]) => text.replace(phrase, written), words)
    .split(" ")
    .map((word) => SPELLINGS.get(word) ?? word)
    .join(" ");
}

/** Abbreviations that are read as words. All others are read letter by letter: an HTTP route. */
const READ_AS_WORDS = /^(?:DICOM|FHIR|NAT|RAG|SAML|SCIM|SIP|SOAR|SaaS)\b/;
/** The sounds at the beginning that take `an`: those of letters, too. A `u` of `unit` and `user` is none. */
const VOWEL = /^(?:[aeio]|u(?!s|ni)|[AEIO][a-z]|[AEFHILMNORSX](?=[A-Z\d]))/;

/** Nouns of many or of no number: `access levels`, `project metadata`. */
const WITHOUT_ARTICLE = /(?:[^sui]s|\b(?:access|metadata)|^web resources .*)$/;

/** `a topic`, `an organization`, `a user`, `an SSH key`, `access levels` */
export function withArticle(noun: string): string {
  if (WITHOUT_ARTICLE.test(noun)) return noun;
  return `${VOWEL.test(noun) && !READ_AS_WORDS.test(noun) ? "an" : "a"} ${noun}`;
}
