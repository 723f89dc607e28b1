import { implement } from '../../../http/context.ts'
import * as telemetry from './index.ts'

export const terminalTelemetryCalls = implement('terminalTelemetry', {
  get_online_curve: (input, ctx) => telemetry.onlineCurve(ctx, input),
  list_battery: (input, ctx) => telemetry.batteryCurve(ctx, input),
  list_usage: (input, ctx) => telemetry.listUsage(ctx, input),
})
