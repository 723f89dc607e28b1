import { TemplateJson } from '@mdm/contract/istage/index.ts'
import { jsonSchemaOf } from '@mdm/device-link/json-schema.ts'

/** What docs/templatejson.schema.json says: the files that templates of iStage are imported from. */
export const templateSchema = () => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'templatejson',
  ...(jsonSchemaOf(TemplateJson) as object),
})
