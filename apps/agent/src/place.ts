/** Where a file goes on a device, as one spelling of its place: steps that go nowhere or back are taken. */
export function placeOf({ path, name }: { path: string; name: string }): string {
  const steps: string[] = []
  for (const step of `${path}/${name}`.split('/')) {
    if (step === '..') steps.pop()
    else if (step !== '' && step !== '.') steps.push(step)
  }
  return `/${steps.join('/')}`
}
