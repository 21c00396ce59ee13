import type { Config } from "../../control/config";
import type { FaultRule } from "../../control/faults";
import type { RequestRecord } from "../../http/request-log";
import type { Bodies } from "../../http/kept-bodies";
import type { EmulatorEvent } from "../../state/events";
import type { Author, ResourceVersion } from "../../state/history";
import type { OperationView } from "../../state/operation-view";
import type { StoredResource } from "../../state/stored";

export type { Author, Bodies, Config, EmulatorEvent, FaultRule, OperationView, RequestRecord, ResourceVersion };

export type Resource = StoredResource;
export type ShownRule = FaultRule & { seen: number };
