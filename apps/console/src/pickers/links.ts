/** Addresses of devices, for every feature that shows one: features do not import each other. */
export { deviceDetailInfo, deviceDetailTask } from '../features/device-detail/screens.ts'
export { deviceList } from '../features/devices/screens.ts'
