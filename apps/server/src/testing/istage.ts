import { newKid } from '../lib/ids.ts'
import type { TestDeps } from './deps.ts'
import { templateFile } from './hostile-templates.ts'

/** A completed configuration of the account, with a template of its own. */
export async function addIstageConfig({ db, clock }: TestDeps, account_kid: string, kid: string): Promise<void> {
  const at = clock.now()
  const by = { created_by_kid: newKid(), created_by: 'Test', created_at: at, updated_at: at }
  const of = { account_kid, type: 'network', version: '1.0.0' } as const
  const template_kid = newKid()
  const content = JSON.stringify(templateFile())
  const template = {
    kid: template_kid,
    ...of,
    kind: 'standard',
    name: 'Test',
    content,
    ...by,
    imported_at: at,
  } as const
  await db.insertInto('istage_template').values(template).execute()
  await db
    .insertInto('istage_config')
    .values({
      ...{ kid, ...of, template_kid, name: kid, description: '', status: 'completed' },
      ...{ content: '{"wifi":[{"ssid":"depot"}]}', content_hash: kid },
      ...by,
    })
    .execute()
}
