import { useTranslation } from 'react-i18next'
import { configTypes } from '@mdm/contract'

const names = new Map(
  Object.entries(configTypes).map(([name, type]) => [type as number, name as keyof typeof configTypes]),
)

/** A kind of configuration as people call it. */
export function useTypeName(): (type: number) => string {
  const { t } = useTranslation('configure/edit')
  return (type) => {
    const name = names.get(type)
    return name ? t(`type.${name}`) : String(type)
  }
}
