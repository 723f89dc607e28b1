/** Sizes that hold on both sides. A packet above `packet_bytes` is refused by the broker. */
export const limits = {
  packet_bytes: 262_144,
  /** What every device has to take: requests and cancellations are never larger. */
  least_packet_bytes: 16_384,
  /** Of one payload, what stands in lists and objects included. */
  values: 32_000,
  /** Of one object. */
  keys: 100,
  events_per_message: 200,
  packages: 2_000,
  open_tasks: 200,
  folder_entries: 1_000,
  /** Of one device in a row; then they come back evenly over an hour. What is above is told and not kept. */
  events_per_hour: 5_000,
  reports_per_hour: 5_000,
  refused_parts: 20,
  /** On the screen of the device: so many on the service address open its entry, and on the welcome screen the QR scanner. */
  address_taps: 5,
  welcome_taps: 6,
} as const
