// Which browser files show what a change does: a screen's feature key is the name of its files in every room.

/**
 * Per browser file, the feature keys that it walks: a folder of a district of apps/server/src/modules, of apps/console/src/features or
 * of apps/console/src/shared, or a file of packages/contract/src/calls or states, written with hyphens.
 */
export const walkedKeys = {
  'account-info': ['account-info', 'account', 'api-token', 'login', 'sign-in'],
  administration: [
    ...['customer', 'sub-account', 'user-account', 'user-role', 'role', 'inside-role', 'inside-user'],
    ...['menu-tree', 'permission-tree', 'people', 'accounts', 'quota', 'operation-log', 'ops-account', 'account'],
  ],
  alert: ['alert', 'alert-kinds'],
  'app-center': [
    'app-center',
    'app-package',
    'app-offer',
    'disk-space',
    'content-report',
    'upload',
    'interrupted-upload',
  ],
  'app-push': ['app-requirement', 'app-setting', 'installed-app', 'software', 'app-offer', 'push', 'push-task'],
  budget: [],
  'bulk-registration': [
    ...[
      'terminal-batch',
      'device-batch',
      'search',
      'policy',
      'ops-terminal',
      'ops-home',
      'disk-space',
      'device-transfer',
    ],
  ],
  'cloned-secret': ['enrolment', 'home', 'device-detail', 'terminal'],
  configurations: [
    ...['terminal-config', 'terminal-config-kit', 'config-profile', 'ops-terminal-config', 'config-file', 'configure'],
    'app-setting',
    'brakes',
  ],
  'device-export': ['terminal-export', 'terminal', 'devices'],
  'device-files': ['terminal-file', 'terminal-app', 'terminal-log', 'terminal-remote', 'device-detail'],
  'device-filters': ['terminal-filter', 'device-filters', 'terminal-dynamic-group', 'custom-field', 'devices'],
  'device-telemetry': ['terminal-telemetry', 'device-detail', 'device-event', 'terminal-config'],
  devices: ['terminal', 'devices', 'terminal-group', 'groups', 'device-scrap', 'terminal-scrap', 'terminal-qrcode'],
  dialogs: ['customer', 'file-cloud'],
  'electronic-fence': ['electronic-fence', 'device-event', 'terminal-location'],
  enrolment: ['enrolment', 'terminal-qrcode'],
  terminal: ['enrolment', 'device'],
  expiry: ['customer', 'account', 'login'],
  'file-cloud': ['file-cloud', 'upload', 'interrupted-upload', 'disk-space'],
  istage: ['istage'],
  staging: ['istage-code', 'istage'],
  keyboard: ['home', 'devices'],
  'list-export': ['list-export', 'operation-log'],
  'list-report': ['list-report', 'list-export', 'account-info', 'mail'],
  'lost-device': ['terminal-lost', 'device-detail', 'terminal', 'terminal-location'],
  map: ['terminal-location', 'devices'],
  'os-custom': ['os-custom', 'oscs-base'],
  'os-information': ['os-information', 'os-uid'],
  'os-version': ['os-version', 'os-version-fleet', 'os-update', 'os-push', 'os-release', 'os-offline', 'os-audience'],
  passkey: ['passkey', 'mail', 'sign-in', 'login', 'account-info', 'user-account'],
  private: ['activation', 'private-deployment'],
  'maintenance-window': ['maintenance-window', 'execution-window', 'windows', 'push-task'],
  'planned-push': ['push-task', 'push-phase', 'push'],
  'push-task-add': [
    ...['push-task', 'push-kinds', 'push-options', 'push-phase', 'push-schedule', 'push-template', 'push', 'targets'],
    ...['device', 'devices-picker', 'file-cloud'],
  ],
  'push-task-list': ['push-task', 'push-subject', 'push-phase', 'push-schedule', 'push-template', 'push', 'home'],
  'real-display': ['remote', 'terminal-remote'],
  remote: ['remote', 'terminal-remote'],
  screens: ['errors', 'home', 'ops-home', 'server-status', 'menu-tree'],
  'sign-in': ['sign-in', 'login', 'user-account'],
  tasks: ['push-task', 'app-center', 'devices', 'terminal-lost', 'home', 'terminal-batch'],
  walk: ['enrolment', 'push-task', 'device', 'file-cloud'],
  'api-authorisation': ['api-authorisation', 'os-mdm-api'],
  'operation-tasks': ['operation-task'],
  webhook: ['webhook', 'push-news', 'device-news'],
}

/** What a change of a room that all features share (ui, core, shell, http, db, link) is tried with. */
export const sharedRoomFiles = ['screens', 'walk', 'keyboard', 'dialogs', 'sign-in', 'budget']

const product = /^(apps|packages|testbed)\/(.+\/)?src\/|^apps\/console\/(index\.html|vite\.config\.ts)$/
const stage = /^(playwright\.config\.ts|package-lock\.json|e2e\/.+\.ts)$/
const test = /\.test\.tsx?$/
const featureRoom =
  /^(?:apps\/server\/src\/modules\/[^/]+|apps\/console\/src\/(?:features|shared)|packages\/contract\/src\/(?:calls|states))\/(.+)$/

/**
 * The browser files that these changes reach: changed ones, those that walk a changed feature, a few for a room that all
 * features share, and all for what every browser test stands on.
 */
export function browserFilesOf(changed) {
  const found = new Set()
  for (const file of changed) {
    const walk = /^e2e\/(.+)\.e2e\.ts$/.exec(file)
    if (walk) found.add(walk[1])
    else if (stage.test(file)) for (const name of Object.keys(walkedKeys)) found.add(name)
    else if (product.test(file) && !test.test(file)) for (const name of walksOf(file)) found.add(name)
  }
  return [...found].toSorted().map((name) => `e2e/${name}.e2e.ts`)
}

function walksOf(file) {
  const [, below] = featureRoom.exec(file) ?? []
  const key = (below ?? '')
    .split('/', 1)[0]
    .replace(/\.tsx?$/, '')
    .replaceAll('_', '-')
  const walks = Object.keys(walkedKeys).filter((name) => walkedKeys[name].includes(key))
  return walks.length > 0 ? walks : sharedRoomFiles
}
