import { PlusOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { May } from '../../../core/session.tsx'

type Props = { id: string; title: string; /** Names what the button does. */ add: string; onAdd: () => void }

/** Over the groups, of either kind: what they are, and another. */
export function GroupsHead({ id, title, add, onAdd }: Props) {
  return (
    <div className="groups-head">
      <h2 id={id}>{title}</h2>
      <May needs="deviceList:group">
        <Button
          type="text"
          size="small"
          icon={<PlusOutlined aria-hidden />}
          aria-label={add}
          title={add}
          onClick={onAdd}
        />
      </May>
    </div>
  )
}
