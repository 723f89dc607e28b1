import type { IstageContent, IstageKind, IstageTypeName } from '@mdm/contract'
import type { TemplateJson } from '@mdm/contract/istage/index.ts'
import type { Json } from './column-types.ts'

/** Templates and configurations of iStage. */
export type IstageTables = {
  istage_template: {
    kid: string
    account_kid: string
    type: IstageTypeName
    kind: IstageKind
    version: string
    name: string
    content: Json<TemplateJson>
    created_by_kid: string
    created_by: string
    created_at: Date
    updated_at: Date
    imported_at: Date
    deleted_at: Date | null
  }
  istage_config: {
    kid: string
    account_kid: string
    name: string
    description: string
    type: IstageTypeName
    version: string
    template_kid: string
    status: 'incomplete' | 'completed'
    content: Json<IstageContent>
    content_hash: string | null
    created_by_kid: string
    created_by: string
    created_at: Date
    updated_at: Date
  }
}
