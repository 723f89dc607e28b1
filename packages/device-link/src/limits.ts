/** Sizes that hold on both sides. A packet above `packet_bytes` is refused by the broker. */
export const limits = {
  packet_bytes: 262_144,
  events_per_message: 200,
  packages: 2_000,
  open_tasks: 200,
  folder_entries: 1_000,
} as const
