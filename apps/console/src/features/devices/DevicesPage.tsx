import {
  ApartmentOutlined,
  EnvironmentOutlined,
  FileExcelOutlined,
  PlusOutlined,
  ProfileOutlined,
  UnorderedListOutlined,
} from '@ant-design/icons'
import { Button, Segmented } from 'antd'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useSearch, withParams } from '../../core/address.ts'
import { pages } from '@mdm/contract'
import type { TerminalRow, Where } from '@mdm/contract'
import { api } from '../../core/api.ts'
import type { Columns } from '../../ui/list/columns.tsx'
import { useFilterSummary } from '../../ui/list/filters.tsx'
import { ListPage } from '../../ui/list/ListPage.tsx'
import { SkeletonRows } from '../../ui/list/SkeletonRows.tsx'
import { useListTable } from '../../ui/list/use-list-table.ts'
import { May } from '../../core/session.tsx'
import { useDialog } from '../../ui/dialog/use-dialog.ts'
import { BulkActions, deviceDialogs, useDeviceActions, useMayAct } from './actions.tsx'
import type { BulkDialog, DeviceDialogKind } from './actions.tsx'
import { useDeviceColumns } from './columns.tsx'
import './devices.css'
import { DynamicGroups } from './groups/DynamicGroups.tsx'
import { GroupAside } from './groups/GroupAside.tsx'
import type { DeviceFilter } from './map/DeviceMap.tsx'
import { deviceFilters, useDeviceFilters } from './use-device-filters.tsx'
import { link } from '../../core/links.ts'

// Forms are loaded when one is opened: most visits to the list only look.
const DeviceDialog = lazy(() => import('./DeviceDialog.tsx').then((m) => ({ default: m.DeviceDialog })))
const BulkRegister = lazy(() => import('./enrolment/BulkRegister.tsx').then((m) => ({ default: m.BulkRegister })))
const FieldsDrawer = lazy(() => import('./fields/FieldsDrawer.tsx').then((m) => ({ default: m.FieldsDrawer })))
const WhereDrawer = lazy(() =>
  import('../../shared/device-filters/conditions/WhereDrawer.tsx').then((m) => ({ default: m.WhereDrawer })),
)
const DeviceMap = lazy(() => import('./map/DeviceMap.tsx').then((m) => ({ default: m.DeviceMap })))
const ExportDrawer = lazy(() => import('./export/ExportDrawer.tsx').then((m) => ({ default: m.ExportDrawer })))
const RegisterDrawer = lazy(() => import('./enrolment/RegisterDrawer.tsx').then((m) => ({ default: m.RegisterDrawer })))

/** Drawers of the list itself, and the permission that they need. */
const listDrawers = {
  register: 'deviceList:register',
  sheet: 'deviceList:register',
  fields: 'deviceList:field',
} as const

/** Opens /device-detail/info?kid=…; the list's state stays in its own address, so going back finds it again. */
export default function DevicesPage() {
  const { t } = useTranslation(['devices', 'device-filters', 'common', 'device'])
  const navigate = useNavigate()
  const list = useListTable(api.terminal.paging, { id: 'device-list', filters: deviceFilters })
  const [bulk, setBulk] = useState<BulkDialog | null>(null)
  const dialog = useDialog<DeviceDialogKind, TerminalRow>(deviceDialogs, list.rows)
  const drawer = useDialog(listDrawers, [])
  const [is_building, setBuilding] = useState(false)
  const [exporting, setExporting] = useState<Columns<TerminalRow> | null>(null)
  const where = list.values.where as Where | undefined
  const group = list.values.terminal_group_kid
  const filters = useDeviceFilters({ group, where, batch: list.values.terminal_batch_kid, sns: list.values.sns }, () =>
    setBuilding(true),
  )
  const filterSummary = useFilterSummary(filters, list.params)
  const [search, setSearch] = useSearch()
  const is_map = search.get('view') === 'map'
  const may_act = useMayAct()

  const register = (
    <May needs="deviceList:register">
      <Button icon={<FileExcelOutlined aria-hidden />} onClick={() => drawer.open('sheet')}>
        {t('register.sheet_button')}
      </Button>
      <Button type="primary" icon={<PlusOutlined aria-hidden />} onClick={() => drawer.open('register')}>
        {t('register.button')}
      </Button>
    </May>
  )
  // What was selected may have changed meanwhile; rows on screen are newer.
  const fresh = (rows: readonly TerminalRow[]) => rows.map((row) => list.rows.find(({ kid }) => kid === row.kid) ?? row)
  return (
    <>
      <ListPage
        list={list}
        page={pages.deviceList}
        title={t('title')}
        columns={useDeviceColumns()}
        rowActions={useDeviceActions(dialog.open)}
        search={t('search')}
        filters={filters}
        primary={register}
        can_match
        nameOf={({ sn, name }) => (name ? `${name} (${sn})` : sn)}
        onExport={setExporting}
        bulk={
          may_act
            ? ({ selection, input }) => (
                <BulkActions
                  targets={() => fresh(selection.rows)}
                  match={selection.is_match ? input : undefined}
                  said={filterSummary}
                  onOpen={setBulk}
                />
              )
            : undefined
        }
        body={
          is_map ? (
            <Suspense fallback={<SkeletonRows columns={4} label={t('common:list.loading')} />}>
              <DeviceMap filter={list.values as DeviceFilter} total={list.total} />
            </Suspense>
          ) : undefined
        }
        actions={
          <>
            <Segmented
              aria-label={t('view.label')}
              value={is_map ? 'map' : 'list'}
              // The place that the map looked at belongs to the map.
              onChange={(view) =>
                setSearch((before) => withParams(before, { view: view === 'map' ? view : null, at: null }))
              }
              options={[
                { value: 'list', label: t('view.list'), icon: <UnorderedListOutlined aria-hidden /> },
                { value: 'map', label: t('view.map'), icon: <EnvironmentOutlined aria-hidden /> },
              ]}
            />
            <May needs="deviceList:field">
              <Button icon={<ProfileOutlined aria-hidden />} onClick={() => drawer.open('fields')}>
                {t('device-filters:admin.open')}
              </Button>
            </May>
          </>
        }
        empty={{ title: t('empty'), hint: t('empty_hint'), action: register }}
        aside={{
          title: t('tree.title'),
          icon: <ApartmentOutlined aria-hidden />,
          content: (
            <GroupAside
              selected={group}
              onSelect={(kid) => list.set({ terminal_group_kid: kid })}
              onDeselect={() => list.set({ terminal_group_kid: null }, { replace: true })}
            >
              <DynamicGroups
                selected={list.values.terminal_dynamic_group_kid}
                where={where}
                onSelect={(kid) => list.set({ terminal_dynamic_group_kid: kid })}
                onDeselect={() => list.set({ terminal_dynamic_group_kid: null }, { replace: true })}
              />
            </GroupAside>
          ),
        }}
        onRow={(row) => void navigate(link.deviceDetailInfo.to({ kid: row.kid }))}
      />
      {bulk && (
        <Suspense>
          <DeviceDialog dialog={bulk} is_bulk onClose={() => setBulk(null)} onDone={list.selection.clear} />
        </Suspense>
      )}
      {dialog.opened && (
        <Suspense>
          <DeviceDialog
            dialog={{ kind: dialog.opened.kind, targets: [dialog.opened.row] }}
            is_bulk={false}
            onClose={dialog.close}
            onDone={list.selection.clear}
          />
        </Suspense>
      )}
      {drawer.is('sheet') && (
        <Suspense>
          <BulkRegister group={group} onClose={drawer.close} />
        </Suspense>
      )}
      {is_building && (
        <Suspense>
          <WhereDrawer
            where={where}
            onApply={(wanted_where) => list.set({ where: wanted_where })}
            onClose={() => setBuilding(false)}
          />
        </Suspense>
      )}
      {exporting && (
        <Suspense>
          <ExportDrawer list={list} columns={exporting} filter={filterSummary} onClose={() => setExporting(null)} />
        </Suspense>
      )}
      {drawer.is('fields') && (
        <Suspense>
          <FieldsDrawer onClose={drawer.close} />
        </Suspense>
      )}
      {drawer.is('register') && (
        <Suspense>
          <RegisterDrawer group={group} onSheet={() => drawer.open('sheet')} onClose={drawer.close} />
        </Suspense>
      )}
    </>
  )
}
