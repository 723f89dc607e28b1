import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { informationKeys, informationLists, kidOf } from '@mdm/contract'
import type { UidKid } from '@mdm/contract'
import type { Caller } from '@mdm/testbed/caller.ts'
import { draftOf, groupOf } from '@mdm/testbed/sweeps/shared/information.ts'
import { osZip } from '@mdm/testbed/os-zip.ts'
import { realApk } from '@mdm/testbed/apks.ts'
import { until } from '@mdm/testbed/until.ts'
import { uploadFile } from '@mdm/testbed/upload.ts'
import { signedIn } from './calls.ts'
import { accountOf, demo, root } from './demo-server.ts'
import type { ScreenRow } from './demo-server.ts'

/** Twenty rows say no more about a list than five. */
const shortList = (path: string): string => (path.endsWith('-list') ? '?page_size=5' : '')

/** A row of every information list and a UID of them, once for all walks. */
async function osPages(operator: Caller): Promise<Record<string, string>> {
  const parts = {} as Record<UidKid, string>
  const kids: Record<string, string> = {}
  for (const key of informationKeys) {
    const { name, path } = informationLists[key]
    const draft = draftOf(key, 100, 'Screens')
    const [row = await operator[groupOf(key)].insert(draft)] = (
      await operator[groupOf(key)].paging({ text: draft.name })
    ).items
    kids[`/${path}-edit`] = parts[kidOf(name)] = row.kid
  }
  const [uid] = (await operator.opsUid.paging({ text: 'Screens' })).items
  const made = { type: 'standard' as const, ...parts, reserve_code: 'SC', display_name: 'Screens' }
  const { kid: uid_kid } = uid ?? (await operator.opsUid.insert(made))
  kids['/uid-list/uid-list-edit'] = uid_kid
  const draft = { uid_kid, os_version: '9.00.100', version_code: 1, ver: 1 }
  const [version = await operator.opsOsVersion.insert(draft)] = (await operator.opsOsVersion.paging({ uid_kid })).items
  for (const step of ['upload-os', 'release-os', 'complete-os']) kids[`/os-issue/${step}`] = version.kid
  for (const step of ['issue-create-os', 'upload-os', 'release-os', 'complete-os'])
    kids[`/os-issue/${step}-edit`] = version.kid
  kids['/os-issue/os-detail'] = version.kid
  const uid_code = (await operator.opsUid.get({ kid: uid_kid })).code
  const zip = async (name: string) => uploadFile(operator, name, await osZip())
  const [
    model = await operator.opsOscsModel.insert({
      code: 'SCREENS',
      uid_kid,
      sum_upload_kid: await zip('screens_sum.zip'),
    }),
  ] = (await operator.opsOscsModel.paging({ text: 'SCREENS' })).items
  const [
    base = await operator.opsOscsBase.insert({
      model_kid: model.kid,
      base_os_version: 'screens_9.00.1',
      version_code: 1,
      os_upload_kid: await zip(`screens_${uid_code}.zip`),
      config_upload_kid: await zip('screens_config.zip'),
    }),
  ] = (await operator.opsOscsBase.paging({ text: 'screens' })).items
  kids['/oscs-model-manage-edit'] = model.kid
  kids['/oscs-base-manage-edit'] = base.kid
  const sunrise = signedIn('sunrise')
  await until('the packages to be checked', async () =>
    (await sunrise.osCustom.list_base({})).some(({ kid }) => kid === base.kid),
  )
  const [custom = await sunrise.osCustom.insert({ name: 'Screens', base_kid: base.kid })] = (
    await sunrise.osCustom.paging({ text: 'Screens' })
  ).items
  if ((await sunrise.osCustom.list_build({ kid: custom.kid })).length === 0)
    await sunrise.osCustom.recustomise({ kid: custom.kid })
  // A page that refetches while it is looked at is another one each time.
  await until('the build to be over', async () =>
    (await sunrise.osCustom.list_build({ kid: custom.kid })).every(({ state }) => state === 'completed'),
  )
  kids['/user-os-custom-edit'] = custom.kid
  kids['/user-os-custom-app'] = custom.kid
  return kids
}

const first = async (rows: Promise<{ items: { kid: string }[] }>) => (await rows).items[0]!.kid
/** The device that the pages of a device are looked at with. */
export const firstDevice = (): Promise<string> =>
  first(signedIn('sunrise').terminal.paging({ page_size: 1, sort: 'sn' }))

export type Addresses = (screen: Pick<ScreenRow, 'path'>) => string
const made = new Map<string, Promise<Addresses>>()
/** Addresses as links lead to them: with the device or the row that the screen is about, made once for each demo. */
export function addresses(): Promise<Addresses> {
  const { url } = demo()
  const known = made.get(url) ?? makeAddresses()
  made.set(url, known)
  return known
}

async function makeAddresses(): Promise<Addresses> {
  const [sunrise, operator] = [signedIn('sunrise'), signedIn('operator')]
  const device = await firstDevice()
  const message = { type: 'message' as const, payload: { title: 'Screens', text: 'Screens' }, terminal_kids: [device] }
  const osKids = await osPages(operator)
  const [task] = (await operator.opsOperationTask.paging({ kinds: ['os_build'] })).items
  const [pushed = await sunrise.pushTask.insert(message)] = (await sunrise.pushTask.paging({ text: 'Screens' })).items
  const kids: Record<string, string> = {
    '/push-task-detail': pushed.kid,
    '/configure-level': 'account',
    ...osKids,
    '/operation-task-detail': task!.kid,
    ...(await apps(sunrise.appCenter, 'app-center')),
    ...(await apps(operator.opsPlatformApk, 'platform-apk')),
    ...(await files(sunrise, 'file-cloud')),
    ...(await files(operator, 'platform-file')),
    '/istage-config-edit': await istageConfig(sunrise),
    '/istage-config-code': await istageConfig(sunrise),
    '/user-manage/sub-account-manage-edit': await first(sunrise.subAccount.paging({})),
    '/user-account-manage-edit': await first(sunrise.userAccount.paging({ text: 'sunrise.viewer' })),
    '/mdm-manage/external-user-manage-edit': accountOf('sunrise').account_kid,
    '/mdm-manage/inside-user-manage-edit': await first(operator.opsInsideUser.paging({})),
    '/mdm-manage/menu-tree-edit': (await operator.opsMenuTree.list({})).find(({ type }) => type === 'page')!.kid,
  }
  return ({ path }) => {
    const kid = path.startsWith('/device-detail/') ? device : kids[path]
    return kid ? `${path}?kid=${kid}` : path + shortList(path)
  }
}

/** A configuration of iStage, with the template that it is made from. */
async function istageConfig(caller: Caller): Promise<string> {
  const [known] = (await caller.istageConfig.paging({ text: 'Screens' })).items
  if (known) return known.kid
  const file = await readFile(join(root, 'docs/templatejson/wifi.json'))
  const template = await caller.istageTemplate.import({ private_content: file.toString('base64') })
  const draft = { name: 'Screens', template_kid: template.kid, status: 'completed' as const }
  const private_content = { wifi: [{ ssid: 'Screens', security: 'open' }] }
  return (await caller.istageConfig.insert({ ...draft, private_content })).kid
}

/** A folder of each side, for the page that edits one. */
async function files(caller: Caller, path: string): Promise<Record<string, string>> {
  const calls = path === 'file-cloud' ? caller.fileCloud : caller.opsPlatformFile
  return { [`/${path}-edit`]: (await calls.make_path({ names: ['Screens'] })).kid }
}

/** An app with a version of each side, for the pages of one. */
async function apps(calls: Caller['appCenter'], path: string): Promise<Record<string, string>> {
  const caller = path === 'app-center' ? signedIn('sunrise') : signedIn('operator')
  // Another walk may have put the same package there.
  const [present] = (await calls.paging({ text: 'io.appium.settings' })).items
  const upload = async () => uploadFile(caller, 'screens.apk', await readFile(realApk))
  const app = present ?? (await calls.insert({ upload_kid: await upload(), name: 'Screens' }))
  const version = (await calls.paging_version({ app_kid: app.kid })).items[0]!
  return {
    [`/${path}-details`]: app.kid,
    [`/${path}-edit`]: app.kid,
    [`/${path}-add-version`]: app.kid,
    [`/${path}-edit-version`]: version.kid,
  }
}
