// Writes what others read of the wires: packages/contract/openapi.json and docs/device-link.schema.json.
import '../packages/contract/tools/openapi.ts'
import '../packages/device-link/tools/schema.ts'
