import { render } from "preact";
import { App } from "./app";
import { store } from "./store";

store.start();
const place = document.getElementById("app");
if (place !== null) {
  render(<App />, place);
}
