import { render } from "preact";
import { App } from "./app";
import { apiTitles } from "./names";
import { store } from "./store";

const titles = document.querySelector<HTMLMetaElement>('meta[name="api-titles"]')?.content ?? "{}";
Object.assign(apiTitles, JSON.parse(titles));
store.start();
const place = document.getElementById("app");
if (place !== null) {
  render(<App />, place);
}
