import { Api } from "../../messages/api";
import { apigatewayV1 } from "../../messages/generated/apigateway.v1";
import { apigatewayV1beta } from "../../messages/generated/apigateway.v1beta";

/** apigateway; v1beta is the one that Perimeter uses (docs/wire.md section 5). */
export const apigateway = [apigatewayV1beta, apigatewayV1].map((each) => new Api(each));
