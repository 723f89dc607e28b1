import http from 'node:http'
import { frame_masks } from '@mdm/device-link/frame-masks.ts'

if (!('websocketMask' in http)) Object.assign(http, frame_masks)
