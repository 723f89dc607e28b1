/** How the pages of the console and of `/terminal` are built. */
export const pageBuild = {
  outDir: 'dist',
  emptyOutDir: true,
  target: 'es2023',
  manifest: true,
  reportCompressedSize: false,
  chunkSizeWarningLimit: 1500,
} as const

/** The server that a page under development calls. */
export const server_url = process.env.MDM_SERVER ?? 'http://127.0.0.1:8081'
