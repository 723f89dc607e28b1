/** Files that one push may carry (contract, push_task/insert). */
export const max_files = 20
