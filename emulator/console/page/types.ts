import type { UsedPermission } from "../../auth/permissions";
import type { Config } from "../../base/config";
import type { FaultRule } from "../../http/faults";
import type { RequestRecord } from "../../state/request-log";
import type { Bodies } from "../../state/kept-bodies";
import type { EmulatorEvent } from "../../state/events";
import type { Author, ResourceVersion } from "../../state/history";
import type { OperationView } from "../../state/operation-view";
import type { StoredResource } from "../../state/stored";

export type {
  Author,
  Bodies,
  Config,
  EmulatorEvent,
  FaultRule,
  OperationView,
  RequestRecord,
  ResourceVersion,
  UsedPermission,
};

export type Resource = StoredResource;
export type ShownRule = FaultRule & { seen: number };
