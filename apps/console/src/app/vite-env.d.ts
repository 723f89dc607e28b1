/// <reference types="vite/client" />
interface ImportMetaEnv {
  /** `cn` builds the console whose default language is Chinese. */
  readonly VITE_REGION?: string
}
