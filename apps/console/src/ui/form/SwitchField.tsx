import { Switch } from 'antd'
import type { ComponentProps } from 'react'
import { Field } from './form.tsx'

/** A field of a form that is on or off. */
export const SwitchField = (props: Omit<ComponentProps<typeof Field>, 'children' | 'valuePropName'>) => (
  <Field {...props} valuePropName="checked">
    <Switch />
  </Field>
)
