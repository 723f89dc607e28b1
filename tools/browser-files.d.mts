export const walkedKeys: Record<string, readonly string[]>
export const sharedRoomFiles: readonly string[]
export function browserFilesOf(changed: readonly string[]): string[]
