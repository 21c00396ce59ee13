import { PLUGIN_FORMS } from "../../support/plugin";
import { casesHere } from "../../support/test-all";
import { walkKills } from "./kills";

// A killed process runs no code: what matters is what it wrote before, which is the same code in each form.
const FORMS = casesHere(
  PLUGIN_FORMS,
  (form) => form === "the executable",
  (form) => `the plugin is killed, with ${form}`,
);

walkKills("plugin", FORMS);
