import { PlusOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { fieldFaultsOf } from '@mdm/contract'
import { managed_apps } from '@mdm/contract/config/apps.ts'
import type { ManagedEntry } from '@mdm/contract/config/apps.ts'
import { faultText } from '../../../../ui/form/zod-rules.ts'
import { AppPart } from './AppPart.tsx'
import { packagesOf } from './entries.ts'
import { useOfferedApps } from './offered-apps.ts'
import { PackageInput } from './PackageInput.tsx'

type Props = { value?: readonly ManagedEntry[]; onChange?: (entries: ManagedEntry[]) => void }
/** Apps with what is set of each. An app of which nothing is set is not kept. */
export function ManagedEntries({ value: entries = [], onChange }: Props) {
  const { t } = useTranslation('configure/edit')
  const [added, setAdded] = useState<readonly string[]>([])
  const [typed, setTyped] = useState('')
  const [fault, setFault] = useState<string>()
  const packages = [...new Set([...packagesOf(entries), ...added])]
  const known = useOfferedApps(undefined, packages)
  const nameOf = (one: string) => known.find((app) => app.package === one)?.name ?? one
  const change = (next: ManagedEntry[]) => onChange?.(next)
  function add(name: string): void {
    const { error } = packageField.safeParse(name)
    const [wrong] = error ? Object.values(fieldFaultsOf(error, name)) : []
    if (wrong) return setFault(faultText(wrong))
    setAdded([...added, name])
    setTyped('')
    setFault(undefined)
  }
  return (
    <>
      {packages.map((one) => (
        <AppPart
          key={one}
          package={one}
          name={nameOf(one)}
          entries={entries}
          onChange={change}
          onRemove={() => {
            setAdded(added.filter((each) => each !== one))
            change(entries.filter((entry) => entry.package !== one))
          }}
        />
      ))}
      <div className="config-add-app">
        <PackageInput
          label={t('apps.choose')}
          placeholder={t('apps.choose')}
          value={typed}
          onChange={(text) => {
            setTyped(text)
            setFault(undefined)
          }}
          onSelect={add}
        />
        <Button icon={<PlusOutlined aria-hidden />} disabled={typed === ''} onClick={() => add(typed.trim())}>
          {t('apps.add')}
        </Button>
      </div>
      {fault && (
        <p role="alert" className="config-fault">
          {fault}
        </p>
      )}
    </>
  )
}

const packageField = managed_apps.fields.entries.fields!['package']!.schema
