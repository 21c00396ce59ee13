/** Commands that the pictures show, and that tests run again. */

/** The stack of docs/review.md, without the notes below the changes. */
export const REVIEW = "perimeter review --stack dev | head -n 20";

/** In README's quick start: a second stack, which would replace the policy by a grant to another member. */
export const REPLACE_PREVIEW = `
sed -i.bak 's/grantMode: merge/grantMode: replace/' Pulumi.yaml
sed -i.bak 's/nurses/doctors/' index.ts
pulumi stack init replaced > /dev/null 2>&1
echo "--- preview"
pulumi preview --suppress-progress --color "\${COLOR:-never}"
`;
