import { Form, Radio, Select, Skeleton, TreeSelect } from 'antd'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { osAudienceGrows } from '@mdm/contract'
import type { OsAudience, OsVersionDetail } from '@mdm/contract'
import { api, useCall, useWrite } from '../../../core/api.ts'
import { searchSelect, useTyped } from '../../../ui/form/search-select.ts'
import { useQuestion } from '../../../ui/dialog/question.ts'
import { Failure } from '../../../ui/Failure.tsx'
import { Field, FormPage } from '../../../ui/form/form.tsx'
import { pageIcon } from '../../../ui/icons.tsx'
import { StepsLine, useStep } from './steps.tsx'
import '../os-version.css'

type Values = {
  mode: OsAudience['mode']
  whom: 'all' | 'chosen'
  /** Absent while there is no field for it. */
  account_kids?: string[]
  groups?: Record<string, string[]>
}

/** The third step, and its edit page: who may have the version. */
export default function ReleaseStep() {
  const { t } = useTranslation('os-version')
  const { kid, version, query, in_wizard, title, next, leave, previous } = useStep('release')
  const save = useWrite(api.opsOsVersion.save_audience, { done: t('saved') })
  const release = useWrite(api.opsOsVersion.release, { done: t('release.more_done') })
  const ask = useQuestion((s) => s.ask)
  const [form] = Form.useForm<Values>()
  const mode = Form.useWatch('mode', form) ?? version?.audience?.mode ?? 'pre_released'
  const whom = Form.useWatch('whom', form)
  const account_kids = Form.useWatch('account_kids', form) ?? []
  /** Of a version that is out: more customers are a release, fewer lose it at once. Either is asked. */
  const submit = async ({ state, audience: before, os_version }: OsVersionDetail, audience: OsAudience) => {
    if (in_wizard || !before) return save.mutateAsync({ kid, ...audience })
    const is_more = state !== audience.mode || osAudienceGrows(before, audience)
    const question = is_more ? ('release.more' as const) : ('release.fewer' as const)
    const is_yes = await ask({
      title: t(`${question}_title`, { version: os_version }),
      text: t(`${question}_text`),
      yes: t(`${question}_yes`),
      is_danger: true,
    })
    if (!is_yes) throw new Error('decided against it')
    return is_more ? release.mutateAsync({ kid, audience }) : save.mutateAsync({ kid, ...audience })
  }
  if (query.error) return <Failure error={query.error} retry={query.refetch} />
  if (!version) return <Skeleton active />
  const may_be_for_all = version.type === 'standard' && mode === 'launched'
  const is_chosen = !may_be_for_all || whom === 'chosen'
  return (
    <FormPage<Values>
      key={kid}
      title={title}
      icon={pageIcon('osIssue')}
      form={form}
      aside={<code>{version.os_version}</code>}
      above={<StepsLine step="release" />}
      submit={t(in_wizard ? 'save_next' : 'save')}
      cancel={in_wizard ? t('skip') : undefined}
      previous={previous}
      initial={valuesOf(version)}
      loading={save.isPending || release.isPending}
      submitError={save.error ?? release.error}
      onSubmit={(values) => submit(version, audienceOf(values, may_be_for_all))}
      onDone={next}
      onCancel={leave}
    >
      <Field name="mode" label={t('release.mode')} extra={t(`release.${mode}_hint`)}>
        <Radio.Group
          options={(['launched', 'pre_released'] as const).map((value) => ({
            value,
            label: t(`release.${value}`),
            disabled: value === 'pre_released' && version.state === 'launched',
          }))}
        />
      </Field>
      {may_be_for_all && (
        <Field name="whom" label={t('release.whom')}>
          <Radio.Group
            options={(['all', 'chosen'] as const).map((value) => ({ value, label: t(`release.${value}`) }))}
          />
        </Field>
      )}
      {!may_be_for_all && (
        <p className="dim">{t(version.type === 'custom' ? 'release.custom' : 'release.chosen_only')}</p>
      )}
      {is_chosen && (
        <Field
          name="account_kids"
          label={t('release.accounts')}
          extra={t('release.accounts_hint')}
          rules={[{ required: true, type: 'array', min: 1, message: t('release.accounts_needed') }]}
        >
          <AccountsSelect known={version.account_names} />
        </Field>
      )}
      {is_chosen &&
        mode === 'pre_released' &&
        account_kids.map((account_kid) => (
          <GroupsField key={account_kid} account_kid={account_kid} names={version.account_names} />
        ))}
    </FormPage>
  )
}

function valuesOf({ audience }: OsVersionDetail): Values {
  const accounts = audience?.accounts ?? []
  return {
    mode: audience?.mode ?? 'pre_released',
    whom: audience?.is_for_all ? 'all' : 'chosen',
    account_kids: accounts.map(({ account_kid }) => account_kid),
    groups: Object.fromEntries(
      accounts.map(({ account_kid, terminal_group_kids }) => [account_kid, terminal_group_kids ?? []]),
    ),
  }
}

function audienceOf({ mode, whom, account_kids = [], groups = {} }: Values, may_be_for_all: boolean): OsAudience {
  const is_for_all = may_be_for_all && whom !== 'chosen'
  const groupsOf = (kid: string): string[] | null => {
    const chosen = mode === 'pre_released' ? (groups[kid] ?? []) : []
    return chosen.length > 0 ? chosen : null
  }
  return {
    mode,
    is_for_all,
    accounts: is_for_all
      ? []
      : account_kids.map((account_kid) => ({ account_kid, terminal_group_kids: groupsOf(account_kid) })),
  }
}

type AccountsProps = {
  known: OsVersionDetail['account_names']
  id?: string
  value?: string[]
  onChange?: (kids: string[]) => void
}
function AccountsSelect({ known, id, value = [], onChange }: AccountsProps) {
  const { t } = useTranslation('os-version')
  const typed = useTyped()
  const { text } = typed
  const query = useCall(api.opsOsVersion.list_account, { ...(text && { text }) }, { keepPrevious: true })
  const [seen, setSeen] = useState(new Map(known.map(({ account_kid, name }) => [account_kid, name])))
  const rows = query.data ?? []
  const found = rows.map(({ kid, name }) => ({ value: kid, label: name }))
  const chosen = value.map((kid) => ({ value: kid, label: seen.get(kid) ?? kid }))
  return (
    <Select<string[]>
      {...(id !== undefined && { id })}
      mode="multiple"
      value={value}
      {...searchSelect(typed, query, found, chosen)}
      notFoundContent={t('none_found')}
      onChange={(kids) => {
        typed.setTyped('')
        setSeen(new Map([...seen, ...rows.map(({ kid, name }) => [kid, name] as const)]))
        onChange?.(kids)
      }}
    />
  )
}

/** Some of a customer's groups: a pre-release may begin with a few devices. */
function GroupsField({ account_kid, names }: { account_kid: string; names: OsVersionDetail['account_names'] }) {
  const { t } = useTranslation('os-version')
  const query = useCall(api.opsOsVersion.list_group, { account_kid })
  const accounts = useCall(api.opsOsVersion.list_account, {})
  const name =
    names.find((one) => one.account_kid === account_kid)?.name ??
    accounts.data?.find(({ kid }) => kid === account_kid)?.name ??
    ''
  return (
    <Field name={['groups', account_kid]} label={t('release.groups', { name })} extra={t('release.groups_hint')}>
      <TreeSelect
        multiple
        allowClear
        treeDataSimpleMode={{ id: 'kid', pId: 'parent_kid', rootPId: null as never }}
        fieldNames={{ label: 'name', value: 'kid' }}
        treeData={(query.data ?? []) as never}
        placeholder={t('release.whole_account')}
      />
    </Field>
  )
}
