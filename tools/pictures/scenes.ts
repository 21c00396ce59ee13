/** Commands that the pictures show, and that tests run again. */

/** The stack that docs/review.md shows. The notes below the changes are left out. */
export const REVIEW = "npx pulumi-perimeter review --stack dev | head -n 20";

/** In README's quick start: a second stack, which would replace the policy by a grant to somebody else. */
export const REPLACE_PREVIEW = `
sed -i.bak 's/grantMode: merge/grantMode: replace/' Pulumi.yaml
sed -i.bak 's/nurses/doctors/' index.ts
pulumi stack init replaced > /dev/null 2>&1
echo "--- preview"
pulumi preview --suppress-progress --color "\${COLOUR:-never}"
`;
