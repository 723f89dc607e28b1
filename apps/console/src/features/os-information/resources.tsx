import { Link } from 'react-router'
import { informationKeys, informationLists } from '@mdm/contract'
import type { Information, InformationKey } from '@mdm/contract'
import { api } from '../../core/api.ts'
import { link } from '../../core/links.ts'
import { translate } from '../../i18n/translate.ts'
import { simpleResource } from '../../ui/simple-resource/simple-resource.tsx'
import type { SimpleField, SimpleResource } from '../../ui/simple-resource/simple-resource.tsx'
import { Count } from '../../ui/value/values.tsx'
import { ImportButton } from './ImportButton.tsx'

/** `opsScreen` and `informationListScreen`: what the contract calls what it derives from a list. */
const capital = <K extends string>(key: K) => (key.charAt(0).toUpperCase() + key.slice(1)) as Capitalize<K>

/** The screens of a list: its row in the contract says what they show. */
const resourceOf = (key: InformationKey): SimpleResource<Information> => {
  const { format, details } = informationLists[key]
  const list = `informationList${capital(key)}` as const
  return simpleResource<Information>({
    pages: { list, add: `${key}Add`, edit: `${key}Edit` },
    delete: `${list}:delete`,
    namespace: 'os-information',
    calls: api[`ops${capital(key)}`],
    naming: 'code',
    is_part: true,
    tools: () => <ImportButton of={key} />,
    whyKept: ({ uid_count }) => (uid_count > 0 ? translate('os-information:in_use', { count: uid_count }) : undefined),
    fields: () => [
      {
        name: 'code',
        kind: 'code',
        label: translate('os-information:column.code'),
        hint: translate(`os-information:format.${format}`),
        is_sortable: true,
      },
      { name: 'name', kind: 'text', label: translate('os-information:column.name'), is_sortable: true },
      ...details.map((name): SimpleField<Information> => ({
        name,
        kind: 'text',
        label: translate(`os-information:column.${name}`),
      })),
      {
        name: 'uid_count',
        kind: 'number',
        label: translate('os-information:column.uid_count'),
        is_read_only: true,
        cell: ({ kid, code, uid_count }) =>
          uid_count === 0 ? (
            <Count value={0} />
          ) : (
            <Link
              to={link.uidList.to({ part_kid: kid })}
              aria-label={translate('os-information:show_uids', { code, count: uid_count })}
            >
              <Count value={uid_count} />
            </Link>
          ),
      },
      { name: 'remark', kind: 'textarea', label: translate('os-information:column.remark') },
      {
        name: 'updated_at',
        kind: 'date',
        label: translate('common:updated_at'),
        is_read_only: true,
        is_sortable: true,
      },
    ],
  })
}

export const resources = Object.fromEntries(informationKeys.map((key) => [key, resourceOf(key)])) as Record<
  InformationKey,
  SimpleResource<Information>
>
