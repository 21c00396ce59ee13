import { withLifecycle } from "../../shared/resource";
import { shelf as definition } from "./definition";
import { ShelfLifecycle } from "./lifecycle";

export const shelf = withLifecycle(definition, (context) => new ShelfLifecycle(context));
