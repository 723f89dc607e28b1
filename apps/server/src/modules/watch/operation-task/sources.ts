import type { OperationTaskKind } from '@mdm/contract'
import type { OperationSource } from '../../../lib/operation-source.ts'
import { listExports } from '../list-export/index.ts'
import { buildOperations } from '../../catalogue/os-custom/index.ts'
import { cancellingOperations, deltaOperations, packageOperations } from '../../catalogue/os-version/index.ts'
import { baseFileOperations } from '../../catalogue/oscs-base/index.ts'
import { deviceImports, policyImports } from '../../fleet/terminal-batch/index.ts'
import { exportOperations } from '../terminal-export/index.ts'
import { scrapOperations } from '../../devices/terminal/index.ts'

/** Every kind of job that is an operation task. */
export const sources: Readonly<Record<OperationTaskKind, OperationSource>> = {
  device_import: deviceImports,
  policy_import: policyImports,
  device_export: exportOperations,
  list_export: listExports,
  os_package: packageOperations,
  os_delta: deltaOperations,
  os_cancelling: cancellingOperations,
  os_build: buildOperations,
  base_file: baseFileOperations,
  scrapping: scrapOperations,
}
