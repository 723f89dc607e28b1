import type { FastifyInstance } from 'fastify'
import type { Deps } from './deps.ts'
import { mountDownloads } from './files/download.ts'
import { mountSlots } from './files/slots.ts'
import { mountUploads } from './files/uploads.ts'
import type { Edge } from './http/app.ts'
import { requireCall } from './http/guard.ts'
import { deviceRoutes } from './modules/fleet/enrolment/device/device-route.ts'
import { mountEnrolPage } from './modules/fleet/enrolment/qr/page-route.ts'
import { mountOidc } from './modules/people/login/route.ts'
import { mountDeviceFiles } from './modules/store/file-cloud/route.ts'
import { mountOsKeys } from './modules/store/os-update/device-route.ts'
import { mountExports } from './modules/watch/list-export/route.ts'
import { mountStagingKeys } from './modules/configuration/istage-code/device-route.ts'
import { mountHawkbit } from './gateways/hawkbit/index.ts'
import { mountHeadwind } from './gateways/headwind/index.ts'
import { mountMdmesh } from './gateways/mdmesh/index.ts'
import { mountMender } from './gateways/mender/index.ts'
import { mountApiLists } from './modules/configuration/api-authorisation/device-route.ts'

/** Everything that is served beside the calls of the contract: files, and what devices and other servers fetch. */
export async function mountRoutes(app: FastifyInstance, deps: Deps, edge: Edge): Promise<void> {
  mountDownloads(app, deps, edge.signer)
  mountExports(app, deps, edge.handlers)
  await mountUploads(app, deps, requireCall)
  await mountSlots(app, deps)
  mountDeviceFiles(app, deps)
  await deviceRoutes(app, deps)
  mountOsKeys(app, deps)
  mountOidc(app, deps)
  mountEnrolPage(app)
  mountApiLists(app, deps)
  mountStagingKeys(app, deps)
  await mountMdmesh(app, deps)
  await mountHeadwind(app, deps)
  await mountHawkbit(app, deps)
  await mountMender(app, deps)
}
