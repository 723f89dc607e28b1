import { Menu } from 'antd'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { OperationLogRow } from '@mdm/contract'
import { link } from '../../core/links.ts'
import { useSession } from '../../core/session.tsx'
import type { Filter } from '../../ui/list/filters.tsx'
import { OrDash } from '../../ui/value/values.tsx'

type ChangedObject = OperationLogRow['objects'][number]

/** Pages of things that have one; a group's is the list of its devices. */
const addressOf: Readonly<Record<string, (kid: string) => string>> = {
  terminal: (kid) => link.deviceDetailInfo.to({ kid }),
  terminal_group: (kid) => link.deviceList.to({ terminal_group_kid: kid }),
  push_task: (kid) => link.pushTaskDetail.to({ kid }),
}

/** A thing by its name, or by its kind where it has none; the way to it in the account that one acts for. */
export function ObjectName({ object, account_kid }: { object: ChangedObject; account_kid: string | null }) {
  const session = useSession()
  const name = object.name || object.table_name
  const address = account_kid === session.account_kid ? addressOf[object.table]?.(object.kid) : undefined
  return address ? <Link to={address}>{name}</Link> : name
}

/** What an operation was done to: kind and names of the first three, and how many others. */
export function Objects({ row }: { row: Pick<OperationLogRow, 'objects' | 'object_count' | 'account_kid'> }) {
  const { t } = useTranslation('operation-log')
  const { objects, object_count, account_kid } = row
  const others = object_count - objects.length
  return (
    <OrDash>
      {objects.length > 0 && (
        <span className="log-objects">
          {objects.map((object, index) => (
            <span key={index} title={object.table_name}>
              {object.table_name !== objects[index - 1]?.table_name && object.name && (
                <span className="dim">{object.table_name} </span>
              )}
              <ObjectName object={object} account_kid={account_kid} />
            </span>
          ))}
          {others > 0 && <span className="dim">{t('object_others', { count: others })}</span>}
        </span>
      )}
    </OrDash>
  )
}

type Listed = { values: { object_kid?: string }; rows: readonly OperationLogRow[] }

/** To what: chosen among the things that the rows in view are about. */
export function useObjectFilter({ values, rows }: Listed): Filter {
  const { t } = useTranslation('operation-log')
  const objects = [...new Map(rows.flatMap((row) => row.objects).map((object) => [object.kid, object])).values()]
  const chosen = objects.find(({ kid }) => kid === values.object_kid)
  return {
    key: 'object_kid',
    kind: 'own',
    label: t('object'),
    shown: chosen && (chosen.name || chosen.table_name),
    editor: (choose) =>
      objects.length > 0 ? (
        <Menu
          className="filter-menu"
          selectedKeys={values.object_kid ? [values.object_kid] : []}
          items={objects.map(({ kid, name, table_name }) => ({
            key: kid,
            label: (
              <>
                {name || table_name} {name && <span className="dim">{table_name}</span>}
              </>
            ),
          }))}
          onClick={({ key }) => choose(key)}
        />
      ) : (
        <p className="dim">{t('object_none')}</p>
      ),
  }
}
