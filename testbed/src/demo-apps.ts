import { namedApk } from './apks.ts'
import { findOrMake } from './demo-callers.ts'
import type { DemoCallers } from './demo-callers.ts'
import { until } from './until.ts'
import { uploadFile } from './upload.ts'

/** An app that simulated devices have in a lower version. */
const scan = { package: 'com.example.scan', name: 'Scan', version_name: '4.2', version_code: 420 }

/** An app in the app center that all devices have to have. Those that are not in a Wi-Fi wait with it. */
export async function requireAppForDemo({ customer: call }: DemoCallers): Promise<void> {
  const { kid: app_kid } = await findOrMake(
    call.appCenter.paging({ text: scan.package }),
    (row) => row.package === scan.package,
    async () =>
      call.appCenter.insert({
        upload_kid: await uploadFile(call, 'scan-4.2.apk', await namedApk(scan)),
        name: scan.name,
        developer: 'Northmark',
        intro: 'Scans the labels of parcels.',
        is_listed: true,
      }),
  )
  const ruleOf = async () => (await call.appRequirement.list({})).find((rule) => rule.app_kid === app_kid)
  const { kid } =
    (await ruleOf()) ?? (await call.appRequirement.insert({ app_kid, conditions: { network: 'wifi', prompt: 'none' } }))
  const push_task_kid = await until('the push of the required app', async () => (await ruleOf())?.last_task_kid)
  await until(
    'the required app on a device',
    async () => (await call.pushTask.get({ kid: push_task_kid })).counts.completed > 0,
  )
  // The figures are those of the first look, and the next one by itself is a quarter of an hour away.
  await call.appRequirement.run({ kid })
}
