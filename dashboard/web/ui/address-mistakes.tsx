import { useNavigate } from '@tanstack/react-router'
import { Button } from './button.tsx'
import { Notice } from './notice.tsx'

/** A parameter of the address that cannot be followed, and the rule that it breaks. */
export interface Mistake {
  name: string
  value: string
  rule: string
}

/** In place of a list that would not be the one that was asked for. */
export function AddressMistakes({ of }: { of: readonly Mistake[] }) {
  const navigate = useNavigate()
  const wrong = new Set(of.map(({ name }) => name))
  const remove = () =>
    void navigate({
      to: '.',
      search: (now: object) =>
        Object.fromEntries(Object.entries(now).filter(([name]) => !wrong.has(name))),
      replace: true,
    })
  return (
    <Notice
      kind="bad"
      title="Nothing is listed because the address has an invalid filter"
      actions={<Button onClick={remove}>Remove invalid filters</Button>}
    >
      <ul className="flex flex-col gap-0.5">
        {of.map(({ name, value, rule }) => (
          <li key={name}>
            <code className="text-xs break-all">
              {name}={value}
            </code>
            : {rule}
          </li>
        ))}
      </ul>
    </Notice>
  )
}
