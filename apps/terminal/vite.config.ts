import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { precompress } from '../console/precompress.ts'

const server = process.env.MDM_SERVER ?? 'http://127.0.0.1:8081'
export default defineConfig({
  root: import.meta.dirname,
  base: '/terminal/',
  plugins: [react(), precompress()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    manifest: true,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1500,
  },
  server: {
    proxy: { '/device': server, '/files': server, '/mqtt': { target: server, ws: true } },
  },
})
