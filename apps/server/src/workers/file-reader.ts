// Reads one file of a stranger. Whatever the file does to this process, the server stays.
import { serveTask } from './serve.ts'
import { tasks } from './tasks.ts'

serveTask(tasks)
