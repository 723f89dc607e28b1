import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { pageBuild, server_url } from '../console/page-build.ts'
import { precompress } from '../console/precompress.ts'

export default defineConfig({
  root: import.meta.dirname,
  base: '/terminal/',
  plugins: [react(), precompress()],
  build: pageBuild,
  server: {
    proxy: { '/device': server_url, '/files': server_url, '/mqtt': { target: server_url, ws: true } },
  },
})
