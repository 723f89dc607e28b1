import type { AgentKind, CustomFieldKind, FieldValues, ScrapState, TransferState, Where } from '@mdm/contract'
import type { RefusedPart, UpName } from '@mdm/device-link'
import type { ColumnType, Generated } from 'kysely'
import type { Derived, Json, State } from './column-types.ts'

/** Devices: how they came, what they are, what they say and what they carry. */
export type DeviceTables = {
  announcement: {
    sn: string
    claim_hash: Buffer
    registration_code: string
    wrong_codes: Generated<number>
    device: Json<AnnouncedDevice>
    address: string
    announced_at: Date
    expires_at: Date
    kid: Generated<string>
    /** Of one that asks to be let in by a code of this account, which an operator decides. */
    account_kid: Generated<string | null>
    qrcode_kid: Generated<string | null>
    agent_kind: Generated<AgentKind>
    hardware_hash: Generated<string | null>
    /** What a device without a serial number says of itself. */
    identity: Generated<string>
    refused_at: Generated<Date | null>
  }
  scrapped_sn: {
    kid: Generated<string>
    sn: string
    account_kid: string
    scrapped_at: Date
    name: Generated<string>
    model: Generated<string>
    scrapped_by: Generated<string>
    search: Derived<string>
  }
  scrap_schedule: {
    kid: string
    account_kid: string
    terminal_kids: string[]
    visible_groups: string[] | null
    group_kids: string[] | null
    state: Generated<ScrapState>
    total: number
    scrapped: Generated<number>
    created_by_kid: string
    created_by: string
    created_by_token_kid: string | null
    created_at: Date
    due_at: Date
    canceled_by: string | null
    finished_at: Date | null
  }
  terminal: {
    kid: string
    account_kid: string
    terminal_group_kid: string | null
    sn: string
    name: Generated<string>
    model: Generated<string>
    os_name: Generated<string>
    os_version: Generated<string>
    uid: Generated<string>
    version_code: number | null
    ver: number | null
    service_version: Generated<string>
    protocol_version: Generated<number>
    imei: string | null
    task_types: string[] | null
    /** Sections of a configuration that it can obey; null where it has not said. */
    config_sections: string[] | null
    /** Kinds of tunnels that it can open; null: none. */
    tunnels: Generated<string[] | null>
    abis: string[] | null
    sdk: number | null
    package_kinds: string[] | null
    /** Of OS packages; null: zip. */
    os_formats: string[] | null
    /** It says itself where it is of its fence. */
    judges_fence: Generated<boolean>
    /** Of one that is a polygon too. */
    judges_polygons: Generated<boolean>
    /** Bytes of the largest packet that it takes; null where it has not said. */
    max_packet: number | null
    resolution: string | null
    host: string | null
    qrcode_kid: string | null
    registration_code: string | null
    claim_hash: Buffer
    secret_hash: Buffer | null
    first_connected_at: Date | null
    quarantined_until: Date | null
    /** It has no secret until it is registered again by its code. */
    renewal_asked_at: Date | null
    registered_at: Date
    work_order: string | null
    /** Who wrote the agent: `mdm` speaks the device link, others come through a gateway. */
    agent_kind: Generated<AgentKind>
    search: Derived<string>
    fields: ColumnType<FieldValues, FieldValues | string | undefined, FieldValues | string>
    tags: Generated<string[]>
    note: Generated<string>
  }
  /** By the serial number: a device that was reset, moved, or registered again is still lost. */
  terminal_lost: {
    account_kid: string
    sn: string
    /** The device as it was registered when this was last changed, and the first version of its configuration that says so. */
    terminal_kid: string
    since_version: number
    message: string
    phone: string
    lost_at: Date
    lost_by: string
    found_at: Date | null
    found_by: string | null
    /** Pushes that were made for it. */
    ring_kid: string | null
    lock_kid: string | null
    message_kid: string | null
    wipe_kid: string | null
  }
  /** Of a device that comes through a gateway. */
  terminal_agent: {
    terminal_kid: string
    account_kid: string
    /** SHA-256 of the id by which the agent knows its hardware; null where it says none. */
    hardware_hash: string | null
    /** Which of its secrets holds: a device that was reset gets the next one. */
    generation: Generated<number>
    enrolled_at: Date
    /** Of the code that it last enrolled with. */
    qrcode_kid: string | null
    /** One that was told to reset itself has done so if it was silent until then. */
    reset_due_at: Date | null
    /** SHA-256 of the token that its agent has for itself alone; null where it has none. */
    token_hash: Generated<Buffer | null>
    /** What its gateway has to know again after a restart; the gateway alone reads it. */
    kept: ColumnType<State, State | string | undefined, State | string>
  }
  terminal_state: {
    terminal_kid: string
    account_kid: string
    is_online: Generated<boolean>
    /** It said as it went that it was put to sleep. */
    is_asleep: Generated<boolean>
    epoch: string | null
    node_kid: string | null
    transport: 'mqtt' | 'websocket' | 'check_in' | null
    silent_at: Date | null
    public_ip: string | null
    connected_at: Date | null
    last_online_at: Date | null
    last_contact_at: Date | null
    boot_id: string | null
    /** The one before, as hello told it. */
    earlier_boot_id: string | null
    /** Answers in turn of machines with its secret, while there is a doubt whether they are one (link/clones.ts). */
    machines: Json<{ boot_id: string; at: number; uptime?: number }[]> | null
    boot_at: Date | null
    device_time: Date | null
    clock_is_off: Generated<boolean>
    last_seq: number | null
    config_version: number | null
    state_at: Date | null
    battery_level: number | null
    battery_charging: string | null
    network_type: string | null
    signal: number | null
    battery: Json<State> | null
    network: Json<State> | null
    sims: Json<State[]> | null
    wifi: Json<State> | null
    run: Json<State> | null
    location: Json<State> | null
    foreground_app: string | null
    is_metered: Derived<boolean>
    is_roaming: Derived<boolean>
    has_foreground_app: Derived<boolean>
    signal_tens: Derived<number | null>
    fence_state: 'inside' | 'outside' | null
    /** Part of the storage in use. */
    storage_percent: Derived<number | null>
  }
  terminal_position: Place & { map_x: Derived<number>; map_y: Derived<number> }
  terminal_track: Place
  location_refresh: { terminal_kid: string; account_kid: string; expires_at: Date }
  terminal_tag: { account_kid: string; name: string }
  terminal_dynamic_group: { kid: string; account_kid: string; name: string; where: Json<Where>; created_at: Date }
  custom_field: {
    kid: string
    account_kid: string
    name: string
    kind: CustomFieldKind
    choices: Generated<string[]>
    sort: number
    created_at: Date
  }
  terminal_inventory: { terminal_kid: string; account_kid: string; packages: Json<State[]>; updated_at: Date }
  qrcode: {
    kid: string
    account_kid: string
    token_hash: Buffer
    terminal_group_kid: string | null
    created_by_kid: string
    /** Null for a permanent code. */
    expires_at: Date | null
    used_at: Date | null
    terminal_kid: string | null
    sn: string | null
    is_permanent: Generated<boolean>
    token_sealed: string | null
    host: string | null
    use_count: Generated<number>
    created_by: Generated<string>
    created_at: Generated<Date>
    revoked_at: Date | null
    /** It lets nobody in: who shows it waits for an operator. */
    needs_approval: Generated<boolean>
  }
  enrolment_apk: {
    kid: string
    /** Null once the account is gone. */
    account_kid: string | null
    name: string
    size: number
    sha256: string
    object: string
    signature_checksum: string
    signature_scheme: 'v1' | 'v2' | 'v3' | 'v3.1'
    created_by_kid: string
    created_by: string
    created_at: Date
  }
  terminal_report: {
    account_kid: string
    terminal_kid: string
    received_at: Date
    device_time: Date
    seq: number
    battery_level: number | null
    cpu: number | null
    memory_used: number | null
    memory_total: number | null
    storage_used: number | null
    storage_total: number | null
    parts: Json<State>
  }
  terminal_event: {
    kid: string
    account_kid: string
    terminal_kid: string
    type: string
    at: Date
    received_at: Date
    detail: Json<State>
  }
  terminal_refusal: {
    kid: string
    account_kid: string
    terminal_kid: string
    at: Date
    name: UpName
    is_whole: boolean
    parts: Json<RefusedPart[]>
  }
  terminal_session: {
    epoch: string
    account_kid: string
    terminal_kid: string
    node_kid: string | null
    address: string
    connected_at: Date
    disconnected_at: Date | null
    /** Its server was gone: the end is when that was last known to live. */
    is_lost: Generated<boolean>
  }
  device_slot: {
    kid: string
    account_kid: string
    terminal_kid: string
    push_task_kid: string | null
    attempt: number
    kind: string
    max_bytes: number
    expires_at: Date
    object: string | null
    used_at: Date | null
  }
  /** How many devices of a group, or of none, were online at a moment. */
  online_sample: {
    account_kid: string
    terminal_group_kid: string | null
    at: Date
    online: number
  }
  /** What a device last said of its apps and folders. */
  device_listing: {
    terminal_kid: string
    account_kid: string
    kind: 'apps' | 'folder'
    path: string
    after: string
    items: Json<State[]>
    next: string | null
    reported_at: Date
  }
  device_transfer: {
    kid: string
    account_kid: string
    terminal_kid: string
    kind: 'download' | 'upload' | 'log'
    path: Generated<string>
    name: string
    size: number | null
    state: Generated<TransferState>
    progress: Generated<number>
    code: string | null
    message: string | null
    object: string | null
    sha256: string | null
    created_by_kid: string
    created_by: string
    created_at: Date
    touched_at: Date
    finished_at: Date | null
    expires_at: Date
  }
}

/** Where a device was, in WGS 84 as devices report it; `at` is when it measured that, clamped to the time of receipt. */
type Place = {
  terminal_kid: string
  account_kid: string
  longitude: number
  latitude: number
  accuracy: number | null
  provider: string | null
  at: Date
  received_at: Date
}

/** What a device said of itself before it was registered. */
export type AnnouncedDevice = {
  model: string
  os_name: string
  os_version: string
  service_version: string
  protocol_version: number
  imei?: string | undefined
}
