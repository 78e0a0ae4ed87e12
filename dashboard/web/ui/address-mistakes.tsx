import { useNavigate } from '@tanstack/react-router'
import { Button } from './button.tsx'
import { Notice } from './notice.tsx'

/** An invalid parameter of the address, and its rule. */
export interface Mistake {
  name: string
  value: string
  rule: string
}

/** Shown in place of a list with an invalid filter. */
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
