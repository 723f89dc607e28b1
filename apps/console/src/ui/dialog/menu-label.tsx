/** The words of a menu's item; `because` is why it cannot be chosen. */
export const menuLabel = (text: string, because: string | undefined) => ({
  disabled: because !== undefined,
  label: because ? (
    <>
      {text} <span className="dim">{because}</span>
    </>
  ) : (
    text
  ),
})
