import type { OsToolName } from '../system/os-tools.ts'
import type { Ran, RunOptions } from './command.ts'

/** A change of what people may do with files: those of `Files` that write. */
export type FileChange =
  { do: 'make_folder'; path: string } | { do: 'rename'; path: string; name: string } | { do: 'remove'; path: string }

/**
 * What is done to this machine outside of the agent's own folder: by this process where it has the rights, or by the helper that
 * runs as root. Everything throws TaskFailure with the reason where it is not possible.
 */
export type SystemWork = {
  /** Found out beforehand, for the capabilities. */
  readonly can: { packages: boolean; restart: boolean; os_tool?: OsToolName | undefined }
  /** The path that a file would have, after its folders were made. Throws `bad_path`. */
  find_place(folder: string, name: string): Promise<string>
  /** Puts a download in its place, at once or not at all. */
  put_file(file: { part: string; folder: string; name: string; sha256: string }): Promise<void>
  remove_file(path: string, sha256: string): Promise<boolean>
  change_files(change: FileChange): Promise<void>
  install_package(of: { place: string; sha256: string; package: string }): Promise<void>
  /** Only what was installed by a push. Says whether there was such a package. */
  remove_package(name: string): Promise<boolean>
  /** Of a package that is installed as a whole. */
  installed_version(name: string): Promise<string | undefined>
  /** Names of packages that were installed by pushes. */
  pushed_packages(): Promise<string[]>
  /** Runs a command of the owner's settings with the rights of root; absent where the agent runs them itself. */
  run_command?(name: string, options: RunOptions): Promise<Ran>
  /** Has the tool for operating systems write an image that was downloaded. */
  install_os(file: string): Promise<void>
  /** The version that runs stays, or is given up at the next start. */
  settle_os(verb: 'keep' | 'leave'): Promise<void>
  restart(): Promise<void>
  shut_down(): Promise<void>
}
